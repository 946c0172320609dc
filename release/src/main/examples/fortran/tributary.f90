! Some functions of tributary.h for Fortran. Others are declared in the same way, by ISO_C_BINDING.
module tributary
    use, intrinsic :: iso_c_binding
    implicit none

    integer(c_int), parameter :: trib_ok = 0

    interface
        integer(c_int) function trib_attach(job) bind(c)
            import
            type(c_ptr), intent(out) :: job
        end function
        integer(c_int) function trib_detach(job) bind(c)
            import
            type(c_ptr), value :: job
        end function
        integer(c_int) function trib_rank(job) bind(c)
            import
            type(c_ptr), value :: job
        end function
        integer(c_int) function trib_size(job) bind(c)
            import
            type(c_ptr), value :: job
        end function
        type(c_ptr) function trib_world(job) bind(c)
            import
            type(c_ptr), value :: job
        end function
        integer(c_int) function trib_barrier(job) bind(c)
            import
            type(c_ptr), value :: job
        end function
        integer(c_int) function trib_allocate(group, bytes, memory) bind(c)
            import
            type(c_ptr), value :: group
            integer(c_size_t), value :: bytes
            type(c_ptr), intent(out) :: memory
        end function
        integer(c_int) function trib_free(memory) bind(c)
            import
            type(c_ptr), value :: memory
        end function
        integer(c_int) function trib_put(memory, rank, offset, source, bytes) bind(c)
            import
            type(c_ptr), value :: memory
            integer(c_int), value :: rank
            integer(c_size_t), value :: offset
            type(c_ptr), value :: source
            integer(c_size_t), value :: bytes
        end function
        integer(c_int) function trib_get(memory, rank, offset, target, bytes) bind(c)
            import
            type(c_ptr), value :: memory
            integer(c_int), value :: rank
            integer(c_size_t), value :: offset
            type(c_ptr), value :: target
            integer(c_size_t), value :: bytes
        end function
    end interface
end module
