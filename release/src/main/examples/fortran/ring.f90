! Every rank greets its right neighbour by a one-sided put.
program ring
    use tributary
    implicit none
    type(c_ptr) :: job, memory
    integer(c_int) :: right
    integer(c_int64_t), target :: greeting, greeted

    call check(trib_attach(job))
    call check(trib_allocate(trib_world(job), 8_c_size_t, memory))
    greeting = trib_rank(job)
    right = mod(trib_rank(job) + 1, trib_size(job))
    call check(trib_put(memory, right, 0_c_size_t, c_loc(greeting), 8_c_size_t))
    call check(trib_barrier(job))
    call check(trib_get(memory, trib_rank(job), 0_c_size_t, c_loc(greeted), 8_c_size_t))
    print '("rank ", i0, " of ", i0, " was greeted by rank ", i0)', trib_rank(job), trib_size(job), greeted
    call check(trib_free(memory))
    call check(trib_detach(job))

contains

    subroutine check(status)
        integer(c_int), intent(in) :: status
        if (status /= trib_ok) then
            print '("tributary.h explains the status ", i0)', status
            error stop 1
        end if
    end subroutine
end program
